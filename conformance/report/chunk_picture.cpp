// SPDX-License-Identifier: Apache-2.0
// The picture of a chunk. Rows of cells wrap like text; the more positions, the smaller the cells
// and the fewer the words, which then stand in tooltips only.
#include "chainwalk/conformance/chunk_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::conformance {
namespace {

// Colours follow the reader's scheme. Tiles alternate between two hues, groups of a tile between
// two shades of its hue.
constexpr std::string_view style = R"svg(<style>
svg{--paper:#ffffff;--ink:#1b2430;--soft:#5f6b7d;--rule:#d7dce5;--a1:#2a66d1;--a2:#4f86e8;--b1:#0d7f7c;--b2:#2f9f98;--void:#e9ecf1;--hatch:#b3bccb;--on:#ffffff}
@media (prefers-color-scheme:dark){svg{--paper:#10151d;--ink:#e7ecf3;--soft:#98a4b6;--rule:#2c3644;--a1:#3f7be6;--a2:#2b5cb8;--b1:#1f9a95;--b2:#17726f;--void:#222a36;--hatch:#4a5669;--on:#ffffff}}
text{font-family:ui-sans-serif,system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--ink)}
.mono{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
.title{font-size:20px;font-weight:650}.sub{font-size:13px;fill:var(--soft)}
.axis{font-size:11px;fill:var(--soft);text-anchor:end}.tile{font-size:11px;fill:var(--soft)}
.token{font-size:12px;fill:var(--on);text-anchor:middle}.off{fill:var(--soft)}
.slot{font-size:10px;fill:var(--soft)}
.a0{fill:var(--a1)}.a1{fill:var(--a2)}.b0{fill:var(--b1)}.b1{fill:var(--b2)}
.void{fill:url(#hatch);stroke:var(--hatch)}
.cut{stroke:var(--paper);stroke-width:1;opacity:.55}.ta{stroke:var(--a1)}.tb{stroke:var(--b1)}
.ta,.tb{stroke-width:3;stroke-linecap:butt}.first{stroke:var(--ink);stroke-width:2}
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" style="fill:var(--void)"/><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--hatch)" stroke-width="1.4"/></pattern></defs>
)svg";

constexpr double margin = 28;
constexpr double axis_width = 52;
constexpr double head_height = 92;
constexpr double legend_height = 66;

struct Layout {
  std::int64_t columns;
  double cell;
  double band;  // height of a row of cells with all that belongs to it
  bool words;   // tokens in the cells, ordinals and slots under the groups
};

Layout layout_for(std::int64_t count) {
  if (count <= 256) return {std::clamp<std::int64_t>(count, 16, 32), 30, 84, true};
  if (count <= 1024) return {64, 15, 36, false};
  if (count <= 8192) return {128, 7.5, 22, false};
  return {256, 3.75, 16, false};
}

// What the groups of a chunk look like from the tiles: which tile holds a position.
struct View {
  const Problem& problem;
  std::int64_t chunk, first, count;
  Layout layout;
  std::vector<Group> groups;

  double x(std::int64_t column) const {
    return margin + axis_width + layout.cell * static_cast<double>(column);
  }
  double y(std::int64_t row) const { return head_height + layout.band * static_cast<double>(row); }
  double cell_top(std::int64_t row) const { return y(row) + (layout.words ? 22 : 6); }
  double cell_height() const { return layout.words ? 30 : layout.band - 14 + 4; }
  std::int64_t rows() const { return (count + layout.columns - 1) / layout.columns; }
};

using Out = std::back_insert_iterator<std::string>;

// Calls body(row, first column, end column, is the first part, is the last part) for each row that
// positions [begin, end) touch inside the view.
template <typename Body>
void for_each_part(const View& view, std::int64_t begin, std::int64_t end, const Body& body) {
  const std::int64_t from = std::max(begin, view.first) - view.first;
  const std::int64_t to = std::min(end, view.first + view.count) - view.first;
  const std::int64_t columns = view.layout.columns;
  for (std::int64_t at = from; at < to;) {
    const std::int64_t row = at / columns;
    const std::int64_t stop = std::min(to, (row + 1) * columns);
    body(row, at - row * columns, stop - row * columns, at + view.first == begin,
         stop + view.first == end);
    at = stop;
  }
}

std::string group_title(const View& view, std::size_t index) {
  const Group& group = view.groups[index];
  const auto records = view.problem.chunk_records(view.chunk);
  const Record& last = records[static_cast<std::size_t>(group.end - 1)];
  std::string title =
      fmt::format("group {}, positions {} to {}", index, group.begin, group.end - 1);
  if (group.ordinal < 0) {
    title += ", INVALID";
  } else {
    title += fmt::format(", ordinal {}, slot {}, decay {:.9g}", group.ordinal, last.slot,
                         f32_from_bits(last.decay));
  }
  title += "; tokens";
  constexpr std::int64_t shown = 16;
  for (std::int64_t at = group.begin; at < std::min(group.end, group.begin + shown); ++at) {
    title +=
        fmt::format(" {}", clamped_token(records[static_cast<std::size_t>(at)],
                                         static_cast<std::int32_t>(view.problem.shape.chunk_size)));
  }
  return group.end - group.begin > shown ? title + " ..." : title;
}

void draw_words(const View& view, Out out, const Group& group, std::int64_t row,
                std::int64_t column, std::int64_t stop, bool is_first) {
  const auto records = view.problem.chunk_records(view.chunk);
  const char* tone = group.ordinal < 0 ? " off" : "";
  for (std::int64_t at = column; at < stop; ++at) {
    const auto position = static_cast<std::size_t>(view.first + row * view.layout.columns + at);
    const auto token =
        clamped_token(records[position], static_cast<std::int32_t>(view.problem.shape.chunk_size));
    fmt::format_to(out, R"(<text class="token mono{}" x="{:.1f}" y="{:.1f}">{}</text>)", tone,
                   view.x(at) + view.layout.cell / 2, view.cell_top(row) + 19.5, token);
  }
  if (!is_first || group.ordinal < 0) return;
  const double width = view.layout.cell * static_cast<double>(stop - column);
  const double y = view.cell_top(row) + view.cell_height() + 11;
  const Record& last = records[static_cast<std::size_t>(group.end - 1)];
  const std::string slot = fmt::format("s{}", last.slot);
  fmt::format_to(out, R"(<text class="slot mono" x="{:.1f}" y="{:.1f}">g{}</text>)",
                 view.x(column) + 2, y, group.ordinal);
  constexpr double letter = 6.1;
  if (letter * static_cast<double>(slot.size()) <= width) {
    fmt::format_to(out, R"(<text class="slot mono" x="{:.1f}" y="{:.1f}">{}</text>)",
                   view.x(column) + 2, y + 11, slot);
  }
}

void draw_group(const View& view, Out out, std::size_t index, bool odd_tile, bool odd_group) {
  const Group& group = view.groups[index];
  fmt::format_to(out, "<g><title>{}</title>", group_title(view, index));
  for_each_part(
      view, group.begin, group.end,
      [&](std::int64_t row, std::int64_t column, std::int64_t stop, bool is_first, bool is_last) {
        const double left = view.x(column) + (is_first ? 0.5 : 0);
        const double right = view.x(stop) - (is_last ? 0.5 : 0);
        const std::string tone = group.ordinal < 0
                                     ? "void"
                                     : fmt::format("{}{}", odd_tile ? 'b' : 'a', odd_group ? 1 : 0);
        fmt::format_to(
            out,
            R"(<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" rx="{}"/>)",
            tone, left, view.cell_top(row), right - left, view.cell_height(),
            view.layout.cell > 6 ? 3 : 0);
        if (view.layout.cell > 6) {
          for (std::int64_t cut = column + 1; cut < stop; ++cut) {
            fmt::format_to(
                out, R"(<line class="cut" x1="{0:.2f}" y1="{1:.2f}" x2="{0:.2f}" y2="{2:.2f}"/>)",
                view.x(cut), view.cell_top(row) + 2, view.cell_top(row) + view.cell_height() - 2);
          }
        }
        if (view.layout.words) draw_words(view, out, group, row, column, stop, is_first);
      });
  fmt::format_to(out, "</g>\n");
}

void draw_tile(const View& view, Out out, std::int64_t tile, std::int64_t begin, std::int64_t end) {
  const std::int32_t ordinal =
      view.problem.chunk_group_prefix(view.chunk)[static_cast<std::size_t>(tile)];
  const bool has_ordinals = view.problem.shape.snapshot != SnapshotForm::none;
  for_each_part(
      view, begin, end,
      [&](std::int64_t row, std::int64_t column, std::int64_t stop, bool is_first, bool) {
        const double left = view.x(column) + 1;
        const double right = view.x(stop) - 1;
        const double y = view.cell_top(row) - 4;
        fmt::format_to(
            out,
            R"(<line class="{}" x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}"><title>tile {}, positions {} to {}</title></line>)",
            tile % 2 == 0 ? "ta" : "tb", left, y, right, y, tile, begin, end - 1);
        if (!view.layout.words || !is_first) return;
        std::string label = fmt::format("tile {}", tile);
        if (has_ordinals) label += fmt::format(", from g{}", ordinal);
        constexpr double letter = 6.2;
        if (letter * static_cast<double>(label.size()) > right - left) label = std::to_string(tile);
        fmt::format_to(out, R"(<text class="tile" x="{:.1f}" y="{:.1f}">{}</text>)", left, y - 5,
                       label);
      });
  fmt::format_to(out, "\n");
}

std::string empty_tiles(const View& view) {
  const auto bounds = view.problem.chunk_tile_bounds(view.chunk);
  std::vector<std::size_t> empty;
  for (std::size_t tile = 0; tile + 1 < bounds.size(); ++tile) {
    if (bounds[tile] == bounds[tile + 1]) empty.push_back(tile);
  }
  if (empty.empty()) return "";
  constexpr std::size_t listed = 12;
  if (empty.size() > listed) return fmt::format("; {} empty tiles", empty.size());
  return fmt::format("; empty tile{} {}", empty.size() == 1 ? "" : "s", fmt::join(empty, ", "));
}

std::string subtitle(const View& view) {
  const ProblemShape& shape = view.problem.shape;
  const auto valid = std::count_if(view.groups.begin(), view.groups.end(),
                                   [](const Group& group) { return group.ordinal >= 0; });
  const bool runs = view.chunk < shape.steps() * shape.num_parallel;
  const std::string place = runs
                                ? fmt::format("step {}, stream {}", view.chunk / shape.num_parallel,
                                              view.chunk % shape.num_parallel)
                                : std::string("never runs");
  return fmt::format("{}; {} positions, {} groups, {} of them valid; {} block{} of {} warps{}",
                     place, shape.positions, view.groups.size(), valid, shape.blocks_per_chunk,
                     shape.blocks_per_chunk == 1 ? "" : "s", shape.warps_per_block,
                     empty_tiles(view));
}

void draw_head(const View& view, Out out, double width, double height) {
  const ProblemShape& shape = view.problem.shape;
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                 "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n<title>Chunk {2}</title>\n{3}"
                 "<rect width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>\n",
                 width, height, view.chunk, style);
  fmt::format_to(out, "<text class=\"title\" x=\"{}\" y=\"38\">Chunk {}</text>\n", margin,
                 view.chunk);
  fmt::format_to(out, "<text class=\"sub\" x=\"{}\" y=\"60\">{}</text>\n", margin, subtitle(view));
  if (view.count < shape.positions) {
    fmt::format_to(out, "<text class=\"sub\" x=\"{}\" y=\"78\">shown: positions {} to {}</text>\n",
                   margin, view.first, view.first + view.count - 1);
  }
}

void draw_axis(const View& view, Out out) {
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    fmt::format_to(out, "<text class=\"axis mono\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                   margin + axis_width - 8, view.cell_top(row) + view.cell_height() / 2 + 4,
                   view.first + row * view.layout.columns);
  }
}

void draw_legend(const View& view, Out out) {
  const double y = view.y(view.rows()) + 20;
  double x = margin + axis_width;
  const auto entry = [&](std::string_view mark, std::string_view text) {
    fmt::format_to(out,
                   "<g transform=\"translate({:.1f} {:.1f})\">{}<text class=\"sub\" x=\"34\" "
                   "y=\"12\">{}</text></g>\n",
                   x, y, mark, text);
    x += 50 + 6.6 * static_cast<double>(text.size());
    if (x > view.x(view.layout.columns) - 60) x = margin + axis_width;
  };
  entry(
      R"(<rect class="a0" width="13" height="16" rx="3"/><rect class="a1" x="14" width="13" height="16" rx="3"/>)",
      "valid groups");
  entry(R"(<rect class="void" width="27" height="16" rx="3"/>)", "INVALID");
  entry(
      R"(<line class="ta" x1="0" y1="8" x2="13" y2="8"/><line class="tb" x1="14" y1="8" x2="27" y2="8"/>)",
      "tiles");
  if (!view.layout.words) return;
  fmt::format_to(out,
                 "<text class=\"sub\" x=\"{:.1f}\" y=\"{:.1f}\">in a cell: its token; under a "
                 "group: g ordinal, s slot</text>\n",
                 margin + axis_width, y + 34);
}

}  // namespace

std::string draw_chunk(const Problem& problem, std::int64_t chunk, std::int64_t first,
                       std::int64_t count) {
  const View view{
      problem, chunk, first, count, layout_for(count), groups_of(problem.chunk_records(chunk))};
  std::string svg;
  const Out out(svg);
  const double width = view.x(std::max<std::int64_t>(view.layout.columns, 16)) + margin;
  constexpr double letter = 7;
  const double words = 2 * margin + letter * static_cast<double>(subtitle(view).size());
  draw_head(view, out, std::max({width, 620.0, words}), view.y(view.rows()) + legend_height);
  draw_axis(view, out);
  const auto bounds = problem.chunk_tile_bounds(chunk);
  std::size_t group = 0;
  for (std::size_t tile = 0; tile + 1 < bounds.size(); ++tile) {
    const bool is_empty = bounds[tile] == bounds[tile + 1];
    if (!is_empty)
      draw_tile(view, out, static_cast<std::int64_t>(tile), bounds[tile], bounds[tile + 1]);
    bool odd_group = false;
    for (; group < view.groups.size() && view.groups[group].begin < bounds[tile + 1]; ++group) {
      const Group& one = view.groups[group];
      if (one.end > first && one.begin < first + count) {
        draw_group(view, out, group, tile % 2 == 1, odd_group);
      }
      odd_group = !odd_group;
    }
  }
  draw_legend(view, out);
  svg += "</svg>\n";
  return svg;
}

}  // namespace chainwalk::conformance
