"""Histograms count as Prometheus does."""

from wiremap_llm.server.metrics import Histogram


def test_a_value_counts_for_its_bound_and_all_above() -> None:
    histogram = Histogram((0.1, 1.0))
    histogram.observe(0.1)
    histogram.observe(0.5, times=2)
    histogram.observe(7.0)

    assert list(histogram.lines("x")) == [
        'x_bucket{le="0.1"} 1',
        'x_bucket{le="1.0"} 3',
        'x_bucket{le="+Inf"} 4',
        "x_sum 8.1",
        "x_count 4",
    ]
