import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Stack } from './stack.ts'

const COMMAND = fileURLToPath(new URL('../../local/commands/admin.ts', import.meta.url))

/** What `npm run admin -- ...` prints on a stack, and its exit status. */
export const admin = (stack: Stack, ...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      DATABASE_URL: stack.addresses.database,
      KEY_FILE: stack.keyFile,
      TEMPORAL_ADDRESS: stack.addresses.temporal,
    }
    execFile(process.execPath, [COMMAND, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })
