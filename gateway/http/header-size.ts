/**
 * uWebSockets.js reads this once, when its binary loads, so this file is imported before it. Its own default of 4 KiB
 * refuses a long filter that arrives in two packets and serves the same one that arrives in one.
 */
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(64 * 1024);
