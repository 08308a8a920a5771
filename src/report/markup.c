/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/markup.h"

#include "select/text.h"

#include <math.h>
#include <string.h>

/* What stands for the character at `text`, whose size is *size; NULL: itself. */
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

/* Three digits, without an exponent. */
static anypi_number digits(double number, const char *unit)
{
    const int after = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    anypi_number shown;
    snprintf(shown.text, sizeof shown.text, "%.*f%s", after, fmin(number, 1e15), unit);
    return shown;
}

/* The unit of a time, which becomes a number of it. */
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
