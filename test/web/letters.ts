import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { fileMailbox } from '#api/mail/mail.ts'
import { eventually } from '#test/support/eventually.ts'
import type { App } from './browser.ts'

/** The address in the newest letter to a person. */
export async function linkFor(app: App, email: string): Promise<string> {
  const mailbox = fileMailbox(join(dirname(app.stack.logFolder), 'mailbox.jsonl'))
  return eventually(async () => {
    const letter = (await mailbox.list()).find(({ to }) => to === email)
    const [link] = /http\S+token=\S+/.exec(letter?.text ?? '') ?? []
    assert.ok(link, 'the letter has come')
    return link
  })
}
