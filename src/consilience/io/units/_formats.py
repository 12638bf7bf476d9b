"""Every format of units; importing this file registers them all."""

from __future__ import annotations

import consilience.io.units._argilla
import consilience.io.units._boris
import consilience.io.units._boris_table
import consilience.io.units._brat
import consilience.io.units._cas_json
import consilience.io.units._conll
import consilience.io.units._doccano
import consilience.io.units._eaf
import consilience.io.units._easydiag
import consilience.io.units._elan_tab
import consilience.io.units._labelstudio
import consilience.io.units._parquet
import consilience.io.units._potato
import consilience.io.units._prodigy
import consilience.io.units._rttm
import consilience.io.units._table
import consilience.io.units._textgrid
import consilience.io.units._webanno
import consilience.io.units._xmi  # noqa: F401
