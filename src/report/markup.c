/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/markup.h"

#include "select/text.h"

#include <math.h>
#include <string.h>

const char anypi_page_style[] =
    "body { font: 15px/1.45 sans-serif; color: #222; background: #fff; max-width: 76em; "
    "margin: 1.5em auto; padding: 0 1.2em }\n"
    "h1 { font-size: 1.6em; margin-bottom: 0.2em } h2 { margin-top: 1.8em; border-top: 1px solid "
    "#ccc; padding-top: 0.6em; font-size: 1.25em } h3 { font-size: 1.05em }\n"
    ".answer { font-size: 1.15em } .note { color: #555; font-size: 0.9em }\n"
    "table { border-collapse: collapse; margin: 0.8em 0; font-size: 0.92em }\n"
    "th, td { border-bottom: 1px solid #ddd; padding: 0.25em 0.7em; text-align: right; "
    "font-weight: normal } tbody th, .text { text-align: left } "
    ".text { white-space: nowrap } thead th { font-weight: bold; "
    "vertical-align: bottom; text-align: center } .sum th, .sum td { font-weight: bold; "
    "border-top: 2px solid #999 }\n"
    ".origin { white-space: pre-wrap; background: #f6f6f6; padding: 0.6em 0.9em; "
    "font-size: 0.9em }\n"
    ".picture { overflow-x: auto; margin: 0.6em 0 } svg { vertical-align: middle }\n"
    "details { margin: 0.4em 0 } summary { cursor: pointer }\n"
    "@media print { body { max-width: none; margin: 0 } svg { max-width: 100%; height: auto } "
    "svg, tr { break-inside: avoid } h2 { break-after: avoid } }\n"
    /* a separate rule, since older browsers drop a rule that they do not know */
    "@media print { details::details-content { content-visibility: visible; display: block; "
    "height: auto } }\n";

/* Returns the replacement of the character at `text`, whose size is *size; NULL: itself. */
static const char *escape(const char *text, int *size)
{
    const unsigned char first = (unsigned char) text[0], second = (unsigned char) text[1];
    *size = anypi_character(text);
    if (!*size) {
        *size = 1;
        return "\xef\xbf\xbd";
    }
    if ((first < 0x20 && first != '\n') || first == 0x7f || (first == 0xc2 && second < 0xa0) ||
        (first == 0xef && second == 0xbf && (unsigned char) text[2] >= 0xbe))
        return " ";
    return first == '<' ? "&lt;" : first == '>' ? "&gt;" : first == '&' ? "&amp;"
        : first == '"' ? "&quot;" : first == '\'' ? "&#39;" : NULL;
}

void anypi_markup_text(FILE *page, const char *text)
{
    for (int size; *text; text += size) {
        const char *instead = escape(text, &size);
        fwrite(instead ? instead : text, 1, instead ? strlen(instead) : (size_t) size, page);
    }
}

/* Returns a number with three digits, without an exponent. */
static anypi_number digits(double number, const char *unit)
{
    const int after = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    anypi_number shown;
    snprintf(shown.text, sizeof shown.text, "%.*f%s", after, fmin(number, 1e15), unit);
    return shown;
}

/* Returns the unit for a time, and converts the time to it. */
static const char *unit_of(double *seconds)
{
    static const char *const units[] = { " ns", " \xc2\xb5s", " ms", " s" };
    int unit = 0;
    *seconds *= 1e9;
    for (; unit < 3 && *seconds >= 999.5; unit++)
        *seconds /= 1000;
    return units[unit];
}

anypi_number anypi_markup_time(double seconds)
{
    const char *unit = unit_of(&seconds);
    return digits(seconds, unit);
}

anypi_number anypi_markup_tick(double seconds)
{
    const char *unit = unit_of(&seconds);
    anypi_number shown;
    snprintf(shown.text, sizeof shown.text, "%.3g%s", seconds, unit);
    return shown;
}

anypi_number anypi_markup_bytes(int64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    int unit = 0;
    double number = (double) bytes;
    for (; unit < 3 && number >= 1024; unit++)
        number /= 1024;
    anypi_number shown;
    snprintf(shown.text, sizeof shown.text, "%.*f %s",
             number < 9.995 && number > floor(number) ? 1 : 0, number, units[unit]);
    return shown;
}

anypi_number anypi_markup_ratio(double ratio)
{
    anypi_number shown;
    if (ratio >= 0.0995)
        return digits(ratio, "");
    snprintf(shown.text, sizeof shown.text, "1/%.0f", fmin(1 / ratio, 1e15));
    return shown;
}
