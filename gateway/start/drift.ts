import type { Logger } from 'pino';
import { BootError } from '../error.ts';
import { printable } from '../process/printable.ts';
import type { Change } from '../features/schema/options.ts';
import type { Judge } from './provision.ts';

export type DriftOptions = {
  /** Whether boot brings the database in line. */
  ensure: boolean;
  /** Whether a start refuses a database that other collection files were provisioned in. */
  requireMatch: boolean;
};

const NAMED = 'The database was provisioned from other collection files. With these:';
const REFUSED = 'SERVICE_REQUIRE_SCHEMA_MATCH refuses the start; one with SERVICE_PROVISION_ONLY=true brings these files.';

/** Names, or refuses, a database that other collection files were provisioned in. */
export function reportDrift({ ensure, requireMatch }: DriftOptions, log: Logger): Judge {
  return changes => {
    if (changes.length === 0) return;
    const told = [NAMED, ...changes.map(inWords)];
    if (requireMatch) throw new BootError([...told, REFUSED].join('\n'));
    const isOrdinary = ensure && changes.every(({ verdict }) => verdict === 'safe');
    for (const line of told) log[isOrdinary ? 'info' : 'warn'](line);
  };
}

function inWords({ collection, property, kind, detail }: Change): string {
  return printable(`${collection}${property === null ? '' : `.${property}`}: ${kind}. ${detail}`);
}
