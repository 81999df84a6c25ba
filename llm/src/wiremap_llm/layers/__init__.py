"""Building blocks of the models: pure tensor code, which knows no request and no cache policy."""
