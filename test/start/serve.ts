// A gateway reduced to its embedded server, for tests that kill it: `node serve.ts <folder>`.
// Prints the server's url and pid in one line of JSON once it serves, or why it does not; SIGTERM stops it,
// and so does the end of its input, which comes when the test is gone.
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { BootError } from '../../gateway/error.ts';

const [, , dir = ''] = process.argv;
const told: string[] = [];
const tell = (line: string) => void told.push(line);

try {
  const { url, pid, stop } = await startEmbedded({ dir, log: { debug() {}, info: tell, warn: tell } });
  const end = () => {
    process.stdin.destroy();
    void stop();
  };
  process.on('SIGTERM', end);
  process.stdin.resume().on('end', end);
  console.log(JSON.stringify({ url, pid, told }));
} catch (error) {
  if (!(error instanceof BootError)) throw error;
  console.log(JSON.stringify({ failure: error.message, told }));
}
