import type { Report } from '../../json/form.ts';
import { bool, mapOf, name, number, object, sqlFunction, text } from '../../json/json-schema.ts';

/** The key `crons` of the settings file: scheduled jobs by their ids. */
export type CronsSetting = Record<string, CronSetting>;
/** Without `function` it changes a file of the same id. */
export type CronSetting = {
  function?: string;
  name?: string;
  schedule?: string;
  timezone?: string;
  description?: string;
  enabled?: boolean;
  timeoutSeconds?: number;
  catchUpWindowSeconds?: number;
};
export type SqlCronSetting = CronSetting & Required<Pick<CronSetting, 'function' | 'name' | 'schedule'>>;

/** 23 days: milliseconds of a timer. */
const LONGEST_TIMEOUT = 2_000_000;
/** A year. */
const LONGEST_WINDOW = 31_536_000;
const LONGEST_ID = 255;

const definition = {
  name: name('As people read it.'),
  schedule: name('Minute, hour, day of the month, month, day of the week, as in 30 2 * * 1-5.'),
  timezone: name('The zone of the schedule, such as Europe/Berlin; UTC by default.'),
  description: text('As people read it.'),
  enabled: bool('Whether it is due at all; an admin may decide otherwise while the service runs.', true),
  timeoutSeconds: number('How long a run may take.', {
    exclusiveMinimum: 0, maximum: LONGEST_TIMEOUT, default: 300, 'x-expected': `a number of seconds above 0, at most ${LONGEST_TIMEOUT}`,
  }),
  catchUpWindowSeconds: number('How old a missed slot may be that a start makes up for; none by default.', {
    exclusiveMinimum: 0, maximum: LONGEST_WINDOW, 'x-expected': `a number of seconds above 0, at most ${LONGEST_WINDOW}`,
  }),
};
/** The default export of a file, without its handler. */
export const fileSchema = object('', definition, ['name', 'schedule']);

export const cronKeys = mapOf('Scheduled jobs, by their ids.', object('A job that is due by a schedule, or changes of one in a file.', {
  function: sqlFunction('(job jsonb) returns jsonb; its value is the result of the run, its notices are the run\'s logs.'),
  ...definition,
}));

/** Reports ids that no job of a project can have. */
export function validateCrons(crons: CronsSetting, report: Report): void {
  for (const [id, cron] of Object.entries(crons)) {
    if (isOwn(id)) report(`crons.${id}`, OWN);
    const lacking = cron.function === undefined ? [] : (['name', 'schedule'] as const).filter(key => cron[key] === undefined);
    for (const key of lacking) report(`crons.${id}`, `lacks ${key}`);
    if (id === '' || id.length > LONGEST_ID) report(`crons.${id.slice(0, 50)}`, `an id has 1 to ${LONGEST_ID} characters`);
  }
}

export const OWN = 'ids that begin with service. are the service\'s own';

export function isOwn(id: string): boolean {
  return id.startsWith('service.');
}
