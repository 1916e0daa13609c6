import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { mintOpaqueSecret } from '../access/opaque-secret.ts'

export const mailboxSecretFile = (mailboxFile: string): string => `${mailboxFile}.secret`

export async function readOrMakeMailboxSecret(mailboxFile: string): Promise<string> {
  const file = mailboxSecretFile(mailboxFile)
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, mintOpaqueSecret().text, { mode: 0o600 })
  try {
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
