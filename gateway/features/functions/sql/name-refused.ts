import type { Logger } from 'pino';
import type { CatalogKeeper } from '../../../catalog/catalog.ts';
import { findScope, type ScopeEntry } from '../../../config/scopes.ts';

type Options = { scopes: readonly ScopeEntry[]; isTaken: (name: string) => boolean; log: Logger };

/** Logs the functions that are declared and not served, each once, with the reason: now, and after each change. */
export function nameRefused(catalog: CatalogKeeper, { scopes, isTaken, log }: Options): void {
  const named = new Set<string>();
  catalog.onLook(look);
  look();

  function look(): void {
    const { refused, served } = catalog.current.endpoints;
    for (const { signature, problem } of refused) name(`function ${signature} is not served: ${problem}`);
    for (const { name: of, scope } of served.values()) {
      if (isTaken(of)) name(`function ${of} is not served: there is a file of its name`);
      if (scope !== undefined && findScope(scopes, scope) === undefined) name(`function ${of} is not served: there is no scope ${scope}`);
    }
  }

  function name(line: string): void {
    if (named.has(line)) return;
    named.add(line);
    log.warn(line);
  }
}
