/** Trace Context, section 3.2.2: version, trace, parent, flags. */
const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that a request belongs to, as its client sent it; undefined where it sent none, or another text. */
export function traceparentOf(request: { header: (name: string) => string }): string | undefined {
  const sent = request.header('traceparent');
  return sent !== '' && FORM.test(sent) ? sent : undefined;
}
