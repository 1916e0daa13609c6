import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mail, Mailer } from './mailer.ts'

export interface StoredMail extends Mail {
  /** UTC instant. */
  at: string
}

/** While no mail server is set: a file for its owner. */
export interface Mailbox extends Mailer {
  /** Newest first. */
  list(): Promise<StoredMail[]>
}

/** @param path one JSON object a line; made when missing */
export function fileMailbox(path: string): Mailbox {
  return {
    async send(mail) {
      await mkdir(dirname(path), { recursive: true })
      // One write a message, so that processes do not mix their lines.
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
