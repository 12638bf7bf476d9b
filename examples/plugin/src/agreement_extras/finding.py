"""What two raters cannot tell."""

from consilience.findings import Finding, register


@register
def few_raters(study):
    """Say that two raters cannot tell who of them errs."""
    if study.ratings.n_raters != 2:
        return None
    return Finding(
        "few_raters",
        "info",
        "Two raters show that they differ, not who of them errs.",
        "Ask a third one about the items on which they differ.",
        {"raters": study.ratings.n_raters},
    )
