"""A paper as GROBID writes it."""

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>
<titleStmt><title level="a" type="main">Learning from
  Noise</title></titleStmt>
<publicationStmt><date type="published" when="2018-06-14">14 June</date></publicationStmt>
</fileDesc><profileDesc><abstract><div><p>We label.</p></div></abstract></profileDesc></teiHeader>
<text><body>
<div><head n="1">Introduction</head><p>Labels are dear <ref type="bibr" target="#b0">(Doe, 2016)</ref>, see
<ref type="figure" target="#f">Fig. 1</ref><note place="foot">A note.</note>.<formula>x=1</formula> They are noisy
<ref type="bibr">(Roe)</ref>.</p></div>
<div><head n="2">Results</head><p>It works.</p></div>
<figure><head>Figure 1</head><figDesc>A picture.</figDesc></figure>
<note place="foot" n="1">Another note.</note></body>
<back><div type="acknowledgement"><div><head>Acknowledgements</head><p>We thank Ann.</p></div></div>
<div type="references"><listBibl><biblStruct xml:id="b0"><analytic>
<title level="a">Dear Labels</title><author><persName><forename>Jo</forename><surname>Doe</surname></persName></author>
<idno type="DOI">10.1000/1</idno></analytic><monogr><title>ACL</title><imprint><date when="2016-07" /></imprint></monogr>
<note type="raw_reference">Jo Doe. 2016.</note></biblStruct></listBibl></div></back></text></TEI>"""
