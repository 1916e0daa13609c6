import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { mintOpaqueSecret } from '../access/opaque-secret.ts'

/** Where the secret of a mailbox is kept: beside the messages, for their owner only. */
export const mailboxSecretFile = (mailboxFile: string): string => `${mailboxFile}.secret`

/**
 * What the page of a mailbox is opened by, made at the first start. Whoever can read the file can read the messages
 * beside it as well, so it gives nothing away.
 *
 * @param mailboxFile where the messages are
 */
export async function readOrMakeMailboxSecret(mailboxFile: string): Promise<string> {
  const file = mailboxSecretFile(mailboxFile)
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, mintOpaqueSecret().text, { mode: 0o600 })
  try {
    // Whole or not at all, and never over one that another process has made.
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(draft)
  }
  await chmod(file, 0o600)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret === '') throw new Error(`${file} is empty: remove it, and the next start makes another`)
  return secret
}
