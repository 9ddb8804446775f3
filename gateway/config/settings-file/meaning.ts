import { didYouMean } from '../../spelling.ts';
import { type Report } from '../../json/form.ts';
import { MAIL_KINDS, MAIL_PLACEHOLDERS, placeholdersIn } from '../mail-templates.ts';
import { type Environment } from '../settings.ts';
import { type SettingsFile } from './type.ts';

/** Keys that have a form already and that nothing reads yet. To pass over them would be to promise what is not done. */
const NOT_BUILT = ['refreshTokenReuseIntervalSeconds', 'allowedRedirectUris', 'hooks', 'roles', 'scopes'] as const;

/** Judges what the form cannot: names that must be there, what refers to something else. */
export function judgeMeaning({ auth = {}, email = {} }: SettingsFile, env: Environment, report: Report): void {
  for (const key of NOT_BUILT) if (auth[key] !== undefined) report(`auth.${key}`, 'not built in this version');
  judgeKeys(auth, env, report);
  for (const kind of MAIL_KINDS) {
    for (const [part, text] of Object.entries(email.templates?.[kind] ?? {})) {
      const known: readonly string[] = MAIL_PLACEHOLDERS[kind];
      for (const name of placeholdersIn(text).filter(name => !known.includes(name))) {
        const problem = `there is no placeholder {{${name}}}; known are ${known.join(', ')}.${didYouMean([name], known)}`;
        report(`email.templates.${kind}.${part}`, problem);
      }
    }
  }
}

function judgeKeys({ signingKeys = [], activeKid }: NonNullable<SettingsFile['auth']>, env: Environment, report: Report): void {
  const kids = signingKeys.map(({ kid }) => kid);
  for (const [i, { kid, privateKey }] of signingKeys.entries()) {
    if (kids.indexOf(kid) !== i) report(`auth.signingKeys[${i}].kid`, 'another key has this name');
    if (typeof privateKey === 'object' && (env[privateKey.env]?.trim() ?? '') === '') {
      report(`auth.signingKeys[${i}].privateKey.env`, `the variable ${privateKey.env} is not set`);
    }
  }
  if (activeKid === undefined || kids.includes(activeKid)) return;
  report('auth.activeKid', `no key of signingKeys has this name.${didYouMean([activeKid], kids)}`);
}
