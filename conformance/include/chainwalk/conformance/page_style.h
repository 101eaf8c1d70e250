// SPDX-License-Identifier: Apache-2.0
// The style sheet of the report page: light and dark, from 390 pixels up.
#pragma once

namespace chainwalk::conformance {

inline constexpr const char* page_style = R"css(
:root{--ink:#1c2330;--soft:#5b6577;--line:#d9dee7;--paper:#ffffff;--panel:#f5f7fa;--good:#1f7a4d;--goodbg:#dff3e7;
--bad:#b3261e;--badbg:#fbe3e1;--odd:#8a6100;--oddbg:#fbf0d2;--accent:#2f5fb3}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf1;--soft:#9aa5b8;--line:#333c4b;--paper:#141922;--panel:#1c232f;
--good:#6fd3a0;--goodbg:#143527;--bad:#ff8f86;--badbg:#45201d;--odd:#e8c268;--oddbg:#3b3013;--accent:#8fb4f5}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:1180px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:1.7rem;margin:0 0 4px}h2{font-size:1.2rem;margin:40px 0 12px}
p{margin:6px 0}code,.mono{font-family:ui-monospace,monospace;font-size:.88em;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.banner{border-left:8px solid var(--good);background:var(--goodbg);padding:16px 20px;border-radius:8px}
.banner.bad{border-color:var(--bad);background:var(--badbg)}
.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:16px 0}
.tile{flex:1 1 110px;background:var(--panel);border-radius:8px;padding:10px 14px}
.tile b{display:block;font-size:1.5rem;line-height:1.2}
.cause{border-left:6px solid var(--bad);padding:4px 14px;background:var(--panel);border-radius:6px}
.rules{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:8px}
.rule{border:1px solid var(--line);border-left:6px solid var(--good);border-radius:6px;padding:8px 12px}
.rule.bad{border-left-color:var(--bad);background:var(--badbg)}
.rule b{font-variant-numeric:tabular-nums}
.rule small{display:block;color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{padding:4px 8px;text-align:center;border:1px solid var(--line);white-space:nowrap}
th{font-weight:600;background:var(--panel)}tr>th:first-child{position:sticky;left:0}
td.good{background:var(--goodbg);color:var(--good)}td.bad{background:var(--badbg);color:var(--bad);font-weight:700}
td.odd{background:var(--oddbg);color:var(--odd)}td.none{color:var(--line)}
.failure{border:1px solid var(--line);border-left:6px solid var(--bad);border-radius:6px;padding:10px 16px;margin:12px 0}
.failure h3{margin:0 0 4px;font-size:1rem;overflow-wrap:anywhere}
.failure .why{font-weight:600;color:var(--bad)}
.failure pre{margin:4px 0;padding:8px 12px;background:var(--panel);border-radius:6px;overflow-wrap:normal;line-height:1.45}
.picture{border:1px solid var(--line);border-radius:6px;margin:8px 0}.picture img{display:block;max-width:none}
.hex{display:inline-block;background:var(--panel);border-radius:4px;padding:0 6px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
details summary{cursor:pointer;color:var(--accent)}
@media (max-width:600px){.rules{grid-template-columns:1fr 1fr}.rule{overflow-wrap:anywhere;font-size:.9rem}.failure{padding:8px 10px}dl{grid-template-columns:1fr}dd{margin-bottom:8px}h1{font-size:1.35rem}.tile{flex-basis:40%}.tile b{font-size:1.2rem}}
)css";

}  // namespace chainwalk::conformance
