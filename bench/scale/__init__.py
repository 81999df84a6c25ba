"""What choosing costs in a large project."""
