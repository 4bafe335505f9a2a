"""Read Omni6DPose."""
