"""The style of the HTML report; colour never tells what the words beside it do not."""

STYLE = """
:root { color-scheme: light dark; --line: #8886; --strong: #2a78; --weak: #ca38; --person: #06c; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; }
tbody th { font-weight: 600; max-width: 22rem; }
small, cite { display: block; font-weight: 400; font-size: .85em; opacity: .8; }
td { border-left: 4px solid var(--line); overflow-wrap: anywhere; }
td.strong { border-left-color: var(--strong); }
td.weak { border-left-color: var(--weak); }
td.nothing, td.missing { opacity: .75; }
td q { display: block; margin-top: .3rem; }
.decided { border: 2px solid var(--person); border-radius: .3rem; padding: 0 .3rem; }
article { border-top: 1px solid var(--line); margin-top: 1rem; }
article:target { outline: 2px solid var(--person); outline-offset: .5rem; }
blockquote { margin: .6rem 0; padding-left: .8rem; border-left: 3px solid var(--line); }
footer small { display: inline; }
@media print { thead th { position: static; } article { break-inside: avoid; } }
"""
