import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mail, Mailer } from './mailer.ts'

export interface StoredMail extends Mail {
  /** UTC instant. */
  at: string
}

/** Where messages go while no mail server is set: a file on this machine, readable by its owner. */
export interface Mailbox extends Mailer {
  /** The content of the file, newest first. */
  list(): Promise<StoredMail[]>
}

/** @param path one JSON object a line; made when missing */
export function fileMailbox(path: string): Mailbox {
  return {
    async send(mail) {
      await mkdir(dirname(path), { recursive: true })
      // One write a message: lines of several processes do not mix.
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
