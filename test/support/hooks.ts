import { stopServers } from './servers.ts'

/** Runs once, after the last test of the whole run; also after an interrupt, which mocha turns into an end. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopServers()
}
