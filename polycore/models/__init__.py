"""What is computed about: attention weights, the datasets, the networks and self-attention."""
