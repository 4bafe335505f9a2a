"""The evaluation engine of all families: plan the asks, run the asks, score the replies."""
