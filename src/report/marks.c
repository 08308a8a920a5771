/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An algorithm has the same letter, colour and shape in all pictures. They depend on its place in
 * the registry. The colours are those of Okabe and Ito, which most colour-blind people can tell
 * apart, and two more. Shapes have another period, so pairs of colour and shape repeat late.
 */
#include "report/parts.h"

static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37400",
                                       "#56b4e9", "#7a5195", "#7f4f3a" };
static const char *const shapes[] = {
    "M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0z",    /* circle */
    "M-3.2,-3.2h6.4v6.4h-6.4z",                         /* square */
    "M0,-4.2L4.1,3.2H-4.1z",                            /* triangle */
    "M0,-4.6L4.2,0L0,4.6L-4.2,0z",                      /* diamond */
    "M-4.1,-3.2H4.1L0,4.2z",                            /* triangle, down */
};
enum { COLOURS = sizeof colours / sizeof colours[0], SHAPES = sizeof shapes / sizeof shapes[0] };

static int place_of(const anyp_algorithm *algorithm)
{
    int count;
    return (int) (algorithm - anyp_algorithms(&count));
}

void anypi_mark_letter(const anyp_algorithm *algorithm, char letter[4])
{
    const int place = place_of(algorithm);
    letter[0] = (char) ('A' + place % 26);
    letter[1] = place < 26 ? '\0' : (char) ('0' + place / 26 % 10);
    letter[2] = '\0';
}

const char *anypi_mark_colour(const anyp_algorithm *algorithm)
{
    return algorithm ? colours[place_of(algorithm) % COLOURS] : "#222222";
}

void anypi_mark_write(FILE *page, const anyp_algorithm *algorithm, double x, double y)
{
    fprintf(page, "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"%s\"/>", x, y,
            algorithm ? shapes[place_of(algorithm) % SHAPES] : "M-4,-1.2h8v2.4h-8z",
            anypi_mark_colour(algorithm));
}

void anypi_picture_begin(FILE *page, const char *id, double width, double height,
                         const char *label)
{
    fprintf(page, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" role=\"img\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"#222\">\n<title>", id, width, height, width, height);
    anypi_markup_text(page, label);
    fprintf(page, "</title>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width,
            height);
}
