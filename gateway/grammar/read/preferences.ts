import { preference } from '../prefer.ts';
import type { ReadShape } from './shape.ts';

/** The `count` preference of a `Prefer` header; an unknown value is no error. */
export function countPreference(prefer: string): 'exact' | 'none' | 'estimated' | undefined {
  const count = preference(prefer, 'count');
  return count === 'none' || count === 'estimated' || count === 'exact' ? count : undefined;
}

/** Whether a read must see what was written before it, which a replica may not have yet. */
export function prefersPrimary(prefer: string): boolean {
  return preference(prefer, 'read') === 'primary';
}

/** The preferences of a read that were honoured, for its answer. */
export function appliedPreferences(prefer: string, { op }: ReadShape): { 'Preference-Applied': string } | undefined {
  const count = op === 'list' ? countPreference(prefer) : undefined;
  const applied = [...(count ? [`count=${count}`] : []), ...(prefersPrimary(prefer) ? ['read=primary'] : [])];
  return applied.length === 0 ? undefined : { 'Preference-Applied': applied.join(', ') };
}
