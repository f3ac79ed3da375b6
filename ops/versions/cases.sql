-- Kept rows, and rows of lost units, that only one version has or that differ in a column of both versions.
-- Values of different types are compared as numbers if both are numeric, otherwise as text.
{%- for table, columns in tables.items() %}
CREATE TEMP TABLE {{ table }} AS
SELECT old.id AS old_id, new.id AS new_id, coalesce(new._partition, old._partition) AS partition,
    {% if table == "lost" %}old._fate AS was, new._fate AS now,{% endif %}
    list_filter([
    {%- for name, comparable in columns.items() %}
    {%- set column = (name | identifier) ~ ("" if comparable else "::TEXT") %}
        CASE WHEN old.{{ column }} IS DISTINCT FROM new.{{ column }} THEN {{ name | literal }} END,
    {%- endfor %}
    ], lambda name: name IS NOT NULL) AS columns
FROM old_{{ table }} old FULL JOIN new_{{ table }} new ON old.id = new.id WHERE len(columns) > 0;
{%- endfor %}

-- All cases with kind, differing fates, and the old and new rows (table and id).
CREATE TEMP TABLE cases AS
SELECT CASE WHEN old_id IS NULL THEN 'added' WHEN new_id IS NULL THEN 'removed' ELSE 'changed' END AS kind,
    coalesce(new_id, old_id) AS id, partition, NULL AS was, NULL AS now, columns,
    ('kept', old_id) AS old, ('kept', new_id) AS new
FROM kept
UNION ALL
SELECT if(was = now, 'losses changed', 'other fate'), new_id, partition,
    if(was = now, NULL, was), if(was = now, NULL, now), columns, ('lost', old_id), ('lost', new_id)
FROM lost WHERE old_id = new_id
UNION ALL
SELECT if(unit IS NULL, 'losses removed', 'other fate'), old_id, coalesce(row.partition, partition),
    if(unit IS NULL, NULL, was), if(unit IS NULL, NULL, 'kept'), NULL, ('lost', old_id), ('kept', row.id)
FROM lost LEFT JOIN new_users ON unit = old_id WHERE new_id IS NULL
UNION ALL
SELECT if(unit IS NULL, 'losses added', 'other fate'), new_id, partition,
    if(unit IS NULL, NULL, 'kept'), if(unit IS NULL, NULL, now), NULL, ('kept', row.id), ('lost', new_id)
FROM lost LEFT JOIN old_users ON unit = new_id WHERE old_id IS NULL;
