// Serves until it is told to end.
import { reportFailure } from './start/report-failure.ts';
import { start } from './start/start.ts';
import { readEnvFile } from './config/env-file.ts';
import { end } from './process/ending.ts';

async function serve(): Promise<void> {
  readEnvFile();
  await start(process.env);
}

// A closed terminal hangs up.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void end(0));
serve().catch((error: unknown) => {
  reportFailure(error);
  void end(1);
});
