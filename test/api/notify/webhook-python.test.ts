import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newWebhookSecret, postEvent } from '#api/notify/webhook/deliver.ts'
import type { OutgoingOptions } from '#api/notify/outgoing.ts'
import { pythonPrograms } from '../../support/python-packages.ts'

/** Prints the event's type; throws where the signature is not the secret's. */
const VERIFY = `
import json, sys
from standardwebhooks import Webhook
secret, headers, body = sys.argv[1:]
print(Webhook(secret).verify(body, json.loads(headers))["type"])
`

describe('events for receivers in Python', function () {
  this.timeout(120_000)
  let python: string
  before(async () => {
    python = join(
      await pythonPrograms('standardwebhooks', join(import.meta.dirname, 'requirements.txt')),
      'python',
    )
  })

  const verify = async (secret: string, { headers, body }: OutgoingOptions): Promise<string> => {
    const { stdout } = await promisify(execFile)(python, [
      '-c',
      VERIFY,
      secret,
      JSON.stringify(headers),
      String(body),
    ])
    return stdout.trim()
  }

  it('an event is verified by the Python library of the standard, by each of two secrets and no other', async () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()]
    const sent: OutgoingOptions[] = []
    const request = async (_url: string, options: OutgoingOptions) => {
      sent.push(options)
      return { status: 204, headers: {}, body: '' }
    }
    const event = {
      id: 'evt_1',
      type: 'order.filled',
      timestamp: new Date().toISOString(),
      data: { symbol: 'Ä 😀 "' },
    }
    await postEvent({ url: 'https://hook.example/', secrets }, event, { request, now: Date.now })
    for (const secret of secrets) assert.equal(await verify(secret, sent[0]!), 'order.filled')
    await assert.rejects(verify(newWebhookSecret(), sent[0]!), /No matching signature/)
  })
})
