import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Stack } from './stack.ts'

/** How far the ledger has been marked, by which it is seen later that it was set back. */
export const markedUpTo = async (stack: Stack): Promise<number> =>
  Number((await stack.query<{ n: string }>('select sequence::text as n from ledger_mark'))[0]?.n ?? 0)

/** Copies the folder of PostgreSQL, with the service and PostgreSQL stopped meanwhile. */
export const copyLedger = (stack: Stack): Promise<void> => stopped(stack, copyFolder)

/** Puts the last copy in the place of the ledger, as somebody does who restores it by hand. */
export const restoreLedger = (stack: Stack): Promise<void> => stopped(stack, putBack)

function putBack(folder: string, copy: string): void {
  rmSync(folder, { recursive: true })
  copyFolder(copy, folder)
}

async function stopped(stack: Stack, work: (folder: string, copy: string) => void): Promise<void> {
  const { api, worker, postgres } = stack.parts
  await Promise.all([api.stop(), worker.stop()])
  await postgres.stop()
  const folder = join(dirname(stack.logFolder), 'postgres')
  work(folder, `${folder}-copy`)
  await postgres.start()
  await Promise.all([worker.start(), api.start()])
  await stack.untilReady()
}

/** With owners and rights, as docs/operate/back-up.md tells operators to. */
const copyFolder = (from: string, to: string) => execFileSync('cp', ['-a', from, to])
