import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { BootError } from '../error.ts';
import { listenExclusively, socketAddress } from '../process/exclusive-socket.ts';

/**
 * Claims a folder for this process until `release` or its end.
 * @throws BootError naming the process that holds it.
 */
export async function claimFolder(folder: string): Promise<{ release: () => void }> {
  const address = socketAddress(folder);
  const server = await listenExclusively(address, socket => socket.end(String(process.pid)));
  if (!server) {
    const holder = await askHolder(address);
    throw new BootError(`Already running: process ${holder} uses the database in ${folder}. Stop it first.`);
  }
  server.unref();
  return { release: () => void server.close() };
}

async function askHolder(address: string): Promise<string> {
  const socket = connect(address);
  socket.setTimeout(1000, () => socket.destroy()); // the holder may be stopped in a debugger
  return await text(socket).catch(() => '') || '(unknown)';
}
