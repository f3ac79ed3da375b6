-- Views of the part files that differ, such as old_kept and new_dropped, with a column for the partition.
{%- for side, tables in parts.items() %}
{%- for table, partitions in tables.items() %}
CREATE VIEW {{ side }}_{{ table }} AS
{%- if partitions %}
SELECT * EXCLUDE (_file),
    MAP([{{ partitions | map("literal") | join(", ") }}], [{{ partitions.values() | map("literal") | join(", ") }}])[_file] AS _partition
FROM read_parquet(
    [{{ partitions | escaped | map("literal") | join(", ") }}],
    union_by_name = true, hive_partitioning = false, filename = '_file'
);
{%- else %}
SELECT NULL::TEXT id, NULL::TEXT[] source_ids, NULL::TEXT reason, NULL::TEXT _partition WHERE false;
{%- endif %}
{%- endfor %}

-- Dropped and rejected units.
CREATE VIEW {{ side }}_lost AS
SELECT *, concat('dropped: ', reason) AS _fate FROM {{ side }}_dropped
UNION ALL BY NAME SELECT *, 'rejected' AS _fate FROM {{ side }}_rejected;

-- Units, each with the kept row of the same id, or else the first kept row made from it.
CREATE VIEW {{ side }}_users AS
SELECT unit, min_by({id: id, partition: _partition}, (id <> unit, _partition, id)) AS row
FROM (SELECT unnest(list_append(source_ids, id)) AS unit, id, _partition FROM {{ side }}_kept) GROUP BY unit;
{%- endfor %}
