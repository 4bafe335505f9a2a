"""Reader of the data set Omni6DPose."""
