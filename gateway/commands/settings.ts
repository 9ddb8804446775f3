import { shown } from '../process/printable.ts';
import { askProject } from './ask-project.ts';

type Report = {
  settings: Record<'hooks' | 'channels' | 'storage' | 'webhooks', unknown>;
  gateways: { pid: number; address: string; since: string | null; differsIn: string[] }[];
};

/**
 * `rowgate settings`: the settings that live in the database, as the last start gave them, and the gateways that run with others.
 * @throws BootError for a database without the schema of this version.
 */
export function settingsCommand({ json }: { json: boolean }): Promise<void> {
  return askProject('settings', async owner => {
    const [row] = await owner<{ report: Report }[]>`select service.settings_report() as report`;
    if (row === undefined) throw new Error('service.settings_report() returned nothing.');
    return json ? JSON.stringify(row.report, null, 2) : shown(inWords(row.report));
  });
}

function inWords({ settings, gateways }: Report): string {
  return [
    'Settings that stand in the database, those of the last start:',
    ...Object.entries(settings).map(([subject, value]) => `  ${subject}: ${JSON.stringify(value)}`),
    gateways.length === 0 ? 'No gateway that runs now was started with others.' : 'Gateways that run now and were started with others:',
    ...gateways.map(({ pid, address, since, differsIn }) =>
      `  ${address}, session ${pid}${since === null ? '' : ` since ${since}`}: ${differsIn.join(', ')}`),
  ].join('\n');
}
