"""Every format of units; importing this file registers them all."""

# ruff: noqa: F401
from __future__ import annotations

import consilience.io.annotations._unit_parquet
import consilience.io.annotations._unit_table
import consilience.io.annotations.text._brat
import consilience.io.annotations.text._cas_json
import consilience.io.annotations.text._conll
import consilience.io.annotations.text._xmi
import consilience.io.annotations.timed._boris_project
import consilience.io.annotations.timed._boris_table
import consilience.io.annotations.timed._eaf
import consilience.io.annotations.timed._easydiag_file
import consilience.io.annotations.timed._elan_tab
import consilience.io.annotations.timed._rttm
import consilience.io.annotations.timed._textgrid
import consilience.io.platforms.spans._argilla_spans
import consilience.io.platforms.spans._doccano_spans
import consilience.io.platforms.spans._label_studio_regions
import consilience.io.platforms.spans._potato_spans
import consilience.io.platforms.spans._prodigy_spans
import consilience.io.platforms.spans._webanno_spans
