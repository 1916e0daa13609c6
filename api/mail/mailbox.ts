import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mail, Mailer } from './mailer.ts'

export interface StoredMail extends Mail {
  /** UTC instant. */
  at: string
}

export interface Mailbox extends Mailer {
  list(): Promise<StoredMail[]>
}

export function fileMailbox(path: string): Mailbox {
  return {
    async send(mail) {
      await mkdir(dirname(path), { recursive: true })
      await appendFile(path, `${JSON.stringify({ at: new Date().toISOString(), ...mail })}\n`, {
        mode: 0o600,
      })
      await chmod(path, 0o600)
    },
    async list() {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
        throw error
      })
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line) as StoredMail).toReversed()
    },
    close: () => {},
  }
}
