"""Numbers and units of siunitx as text: `5 μm`, `10 kg m⁻²`, `3×10⁻⁴`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from litterm.text.latex.symbols import SYMBOLS, to_superscript

_PREFIXES: Final = dict(
    pair.split(":")
    for pair in """quecto:q ronto:r yocto:y zepto:z atto:a femto:f pico:p nano:n micro:μ milli:m centi:c deci:d deca:da
    deka:da hecto:h kilo:k mega:M giga:G tera:T peta:P exa:E zetta:Z yotta:Y ronna:R quetta:Q kibi:Ki mebi:Mi gibi:Gi
    tebi:Ti""".split()
)
_UNITS: Final = dict(
    pair.split(":")
    for pair in """metre:m meter:m second:s gram:g kilogram:kg kelvin:K ampere:A mole:mol candela:cd hertz:Hz newton:N
    pascal:Pa joule:J watt:W coulomb:C volt:V farad:F ohm:Ω siemens:S weber:Wb tesla:T henry:H celsius:°C
    degreeCelsius:°C lumen:lm lux:lx becquerel:Bq gray:Gy sievert:Sv katal:kat minute:min hour:h day:d degree:°
    arcminute:′ arcsecond:″ litre:L liter:L tonne:t electronvolt:eV dalton:Da atomicmassunit:u percent:% bar:bar
    angstrom:Å bel:B decibel:dB neper:Np radian:rad steradian:sr bit:bit byte:B hectare:ha astronomicalunit:au
    parsec:pc mmHg:mmHg knot:kn barn:b nauticalmile:M are:a molar:M year:yr permille:‰ perthousand:‰ clight:c
    fg:fg pg:pg ng:ng ug:μg mg:mg g:g kg:kg pm:pm nm:nm um:μm mm:mm cm:cm dm:dm m:m km:km as:as fs:fs ps:ps ns:ns us:μs
    ms:ms s:s fmol:fmol pmol:pmol nmol:nmol umol:μmol mmol:mmol mol:mol kmol:kmol pA:pA nA:nA uA:μA mA:mA A:A kA:kA
    ul:μL ml:mL l:L hl:hL uL:μL mL:mL L:L hL:hL mHz:mHz Hz:Hz kHz:kHz MHz:MHz GHz:GHz THz:THz mN:mN N:N kN:kN MN:MN
    Pa:Pa kPa:kPa MPa:MPa GPa:GPa mohm:mΩ kohm:kΩ Mohm:MΩ pV:pV nV:nV uV:μV mV:mV V:V kV:kV W:W nW:nW uW:μW mW:mW kW:kW
    MW:MW GW:GW J:J uJ:μJ mJ:mJ kJ:kJ eV:eV meV:meV keV:keV MeV:MeV GeV:GeV TeV:TeV kWh:kWh F:F fF:fF pF:pF nF:nF uF:μF
    K:K dB:dB mT:mT uT:μT T:T degC:°C""".split()
)
_POWERS_BEFORE: Final = {"square": "2", "cubic": "3"}
_POWERS_BEHIND: Final = {"squared": "2", "cubed": "3"}
_TOKEN: Final = re.compile(r"\\[A-Za-z]+|\\.|\^\s*(?:\{[^{}]*\}|.)|\{[^{}]*\}|[{}]|[~.·\s]+|[^\\^{}~.·\s]+", re.DOTALL)
_EXPONENT: Final = re.compile(r"(?P<factor>[\d)][.,]?)? ?(?<![A-Za-z])[eEdD] ?(?P<power>[+-]?\d+)")
_PLUS_MINUS: Final = re.compile(r" ?(?:\+-|±) ?")
_TIMES: Final = re.compile(r"(?<=[\d)]) ?x ?(?=[\d.+-])")
_TIGHT_UNITS: Final = ("°", "′", "″")


def number_text(number: str) -> str:
    """The number of `\\num` or `\\SI`, given as text: `3e-4` becomes `3×10⁻⁴`."""
    text = _PLUS_MINUS.sub(" ± ", _TIMES.sub(" × ", " ".join(number.split())))
    return _EXPONENT.sub(_power_of_ten, text)


def _power_of_ten(match: re.Match[str]) -> str:
    power = match["power"].removeprefix("+")
    factor = f"{match['factor']}×" if match["factor"] else ""
    return f"{factor}10{to_superscript(power) or '^' + power}"


def quantity_text(number: str, unit: str) -> str:
    """Number and unit together; a degree stands close to its number."""
    if not number or not unit:
        return number or unit
    return f"{number}{unit}" if unit in _TIGHT_UNITS else f"{number} {unit}"


def angle_text(angle: str) -> str:
    """The degrees, minutes and seconds of `\\ang`, which semicolons part."""
    parts = zip(angle.split(";"), _TIGHT_UNITS, strict=False)
    return "".join(f"{number_text(part)}{sign}" for part, sign in parts if part.strip())


@dataclass(slots=True)
class _Units:
    """The units read so far, and what the commands before the next one say of it."""

    parts: list[str] = field(default_factory=list)
    prefix: str = ""
    power: str = ""
    sign: str = ""

    def add(self, symbol: str) -> None:
        before = self.parts[-1] if self.parts else ""
        if before and before[-1] not in " /(":
            self.parts.append(" ")
        self.parts.append(self.prefix + symbol)
        if self.sign or self.power:
            self.parts.append(_raise(f"{self.sign}{self.power or '1'}"))
        self.prefix = self.power = self.sign = ""

    def raise_last(self, power: str) -> None:
        """`\\metre\\squared`; behind `\\per` the sign is there already."""
        if self.parts and self.parts[-1] == "⁻¹":
            self.parts[-1] = _raise(f"-{power}")
        else:
            self.parts.append(_raise(power))

    def add_text(self, text: str) -> None:
        self.parts.append(self.prefix + text + (_raise("-1") if self.sign else ""))
        self.prefix = self.sign = ""


def unit_text(tex: str) -> str:
    """The unit of `\\si` or `\\SI`, given as TeX, by commands or letters; what is no unit keeps its letters."""
    units = _Units()
    tokens = iter(_TOKEN.findall(tex))
    for token in tokens:
        if token[0] == "\\":
            _read_command(token[1:], units, tokens)
        elif token[0] == "^":
            units.parts.append(_raise(token[1:].strip(" {}")))
        elif token[0] in "~.· \n\t":
            if units.parts and not units.parts[-1].endswith(" ") and not token.isspace():
                units.parts.append(" ")
        else:
            units.add_text(token.strip("{}"))
    if units.prefix:
        units.add_text("")
    return "".join(units.parts).strip()


def _read_command(name: str, units: _Units, tokens: Iterator[str]) -> None:
    if name in _UNITS:
        units.add(_UNITS[name])
    elif name in _PREFIXES:
        units.prefix += _PREFIXES[name]
    elif name == "per":
        units.sign = "-"
    elif name in _POWERS_BEFORE:
        units.power = _POWERS_BEFORE[name]
    elif name in _POWERS_BEHIND:
        units.raise_last(_POWERS_BEHIND[name])
    else:
        _read_other(name, units, tokens)


def _read_other(name: str, units: _Units, tokens: Iterator[str]) -> None:
    """A command with an argument, a symbol, or a unit that the document has defined: it is called by what it prints."""
    if name in ("tothe", "raiseto", "of"):
        argument = next(tokens, "").strip("{} ")
        if name == "raiseto":
            units.power = argument
        elif name == "tothe":
            units.raise_last(argument)
        else:
            units.parts.append(f" {argument}")
    elif name in SYMBOLS:
        units.add_text(SYMBOLS[name])
    elif name in ",; ":
        units.parts.append(" ")
    elif name.isalpha():
        units.add(name)
    else:
        units.add_text(name)


def _raise(power: str) -> str:
    return to_superscript(power.replace("−", "-")) or f"^{power}"
