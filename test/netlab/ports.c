/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ports.c - namespaces, devices, routes, and TCP's settings; see ports.h.
 */
#include "ports.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The settings of TCP in each namespace, and why. One that a kernel lacks is left out: the proof
 * tests whether the network is good enough. */
typedef struct setting {
    const char *name, *value;
} setting;

static const setting settings[] = {
    /* the window is open from the first packet on, and stays open */
    { "ipv4/tcp_congestion_control", "reno" },
    { "ipv4/tcp_slow_start_after_idle", "0" },
    { "ipv4/tcp_no_metrics_save", "1" },
    { "ipv4/tcp_wmem", "4096 4194304 16777216" },
    { "ipv4/tcp_rmem", "4096 8388608 16777216" },
    { "ipv4/tcp_limit_output_bytes", "16777216" },
    { "ipv4/tcp_min_tso_segs", "1" },
    /* less per packet */
    { "ipv4/tcp_timestamps", "0" },
    { "ipv4/tcp_autocorking", "0" },
    { "ipv6/conf/all/disable_ipv6", "1" },
    { "ipv6/conf/default/disable_ipv6", "1" },
};

/* If nothing is lost, a packet that takes long is in a queue and must not be sent again. */
static const setting lossless[] = {
    { "ipv4/tcp_rto_min_us", "5000000" },
    { "ipv4/tcp_early_retrans", "0" },
    { "ipv4/tcp_recovery", "0" },
    { "ipv4/tcp_frto", "0" },
};

static bool put(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t) strlen(text);
    if (file >= 0)
        close(file);
    return done;
}

static void tell_tcp(const setting *its, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[128];
        snprintf(path, sizeof path, "/proc/sys/net/%s", its[i].name);
        put(path, its[i].value);
    }
}

/* Runs `ip -batch` on the text in the caller's namespace. */
static bool ip(const char *text)
{
    int pipes[2], status = -1;
    if (pipe2(pipes, O_CLOEXEC))
        return false;
    const pid_t child = fork();
    if (!child) {
        dup2(pipes[0], 0);
        execlp("ip", "ip", "-batch", "-", (char *) NULL);
        perror("netlab: ip cannot be run (maint/packages --install netlab)");
        _exit(127);
    }
    close(pipes[0]);
    if (child > 0 && write(pipes[1], text, strlen(text)) == (ssize_t) strlen(text)) {
        close(pipes[1]);
        waitpid(child, &status, 0);
    } else {
        close(pipes[1]);
    }
    return status == 0;
}

static int open_device(void)
{
    struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
    strcpy(request.ifr_name, "tun0");
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device >= 0 && ioctl(device, TUNSETIFF, &request)) {
        close(device);
        return -1;
    }
    return device;
}

const char *netlab_address(int port, char text[16])
{
    const uint32_t address = NETLAB_BASE + (uint32_t) port;
    snprintf(text, 16, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
             address & 255);
    return text;
}

/* Makes a namespace, and moves the caller into it. */
static bool enter_new(void)
{
    if (unshare(CLONE_NEWNET)) {
        fprintf(stderr, "netlab: network namespaces are not permitted: %s; run this as root, "
                "outside of a container\n", strerror(errno));
        return false;
    }
    return true;
}

bool netlab_ports_open(netlab_port *ports, int count, int mtu, bool loses)
{
    const int window = loses ? 10 : 2000;       /* packets */
    for (int i = 0; i < count; i++) {
        char address[16], text[512];
        if (!enter_new())
            return false;
        ports[i].space = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
        ports[i].device = open_device();
        if (ports[i].space < 0 || ports[i].device < 0) {
            fprintf(stderr, "netlab: no TUN device: %s; this needs /dev/net/tun and root\n",
                    strerror(errno));
            return false;
        }
        tell_tcp(settings, sizeof settings / sizeof *settings);
        if (!loses)
            tell_tcp(lossless, sizeof lossless / sizeof *lossless);
        snprintf(text, sizeof text,
                 "link set lo up\nlink set tun0 mtu %d txqueuelen 10000 up\n"
                 "addr add %s/16 dev tun0\n"
                 "route replace 10.77.0.0/16 dev tun0 initcwnd %d initrwnd %d\n",
                 mtu, netlab_address(i, address), window, window);
        if (!ip(text)) {
            fprintf(stderr, "netlab: ip could not set up the namespace of port %d\n", i);
            return false;
        }
    }
    return enter_new() && ip("link set lo up\n");
}
