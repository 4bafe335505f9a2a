"""What a report writes: the page, plain values, tables for other tools, and the files of authors."""
