import type { Value } from './value.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One environment variable. Without a text, or with a blank one, it takes `unset`. */
export type Setting<T, Unset> = {
  name: string;
  value: Value<T>;
  unset: Unset;
  docs: string;
  /** An older or shorter name of the same variable. */
  alias?: string;
  /** Production does not start without it. */
  production?: 'required';
  /** Where the settings file may have it. The variable goes first. */
  key?: string;
};
type Extras = Pick<Setting<never, never>, 'alias' | 'production' | 'key'>;

export function setting<T, Unset>(name: string, value: Value<T>, unset: Unset, docs: string, extras: Extras = {}): Setting<T, Unset> {
  return { name, value, unset, docs, ...extras };
}
