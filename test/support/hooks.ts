import { closingLine } from './closing-line.ts'
import { leaveOutWithoutTools, takeLeftOut } from './left-out.ts'
import { stopServers } from './servers.ts'

leaveOutWithoutTools()

/** Runs once, after the last test of the whole run; also after an interrupt, which mocha turns into an end. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopServers()
  const line = closingLine(takeLeftOut())
  if (line !== '') console.log(`${line}\n`)
}
