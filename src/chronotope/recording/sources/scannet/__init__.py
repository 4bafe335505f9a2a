"""Reader of the data set ScanNet."""
