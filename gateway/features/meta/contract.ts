import { version } from '../../version.ts';

/** Version of the wire format: another number tells clients that a request or an answer has another form. */
const WIRE_CONTRACT = 1;

/** The contract of the newest catalog, as text, read when it is first asked for. */
export function contractOncePerCatalog(catalog: () => object, read: () => Promise<string>): () => Promise<string> {
  let newest: { catalog: object; text: string } | undefined;
  return async () => {
    const current = catalog();
    if (newest?.catalog !== current) newest = { catalog: current, text: stamped(await read()) };
    return newest.text;
  };
}

/** The members that the database does not know precede the rest, which is megabytes and stays the text that it is. */
function stamped(contract: string): string {
  const stamp = { runtime: { version: version(), contract: WIRE_CONTRACT }, generatedAt: new Date().toISOString() };
  return `${JSON.stringify(stamp).slice(0, -1)},${contract.slice(1)}`;
}
