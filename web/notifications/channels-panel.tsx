import { useState } from 'react'
import { dataOf } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Menu } from '../parts/menu.tsx'
import { Chip, Item, Panel } from '../parts/panel.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { useNow } from '../parts/time.ts'
import { AddChannel } from './add-channel.tsx'
import { ChannelSheet, QUESTIONS } from './channel-sheets.tsx'
import { readChannelsAgain, useChannels, useThisDevice } from './data.ts'
import { KINDS } from './kinds.ts'
import { sentWords, stateOf, type Channel } from './words.ts'

const TONES = { plain: '', warn: 'text-warn', danger: 'text-danger' } as const

export function ChannelsPanel() {
  const channels = useChannels()
  const isLive = useIsLive()
  const [isAdding, setAdding] = useState(false)
  const [asked, setAsked] = useState<{ of: Channel; what: keyof typeof QUESTIONS }>()
  const [said, setSaid] = useState<{ of: Channel; words: string }>()
  const [secret, setSecret] = useState<{ of: Channel; text: string }>()

  const say = (of: Channel, words: string): void => setSaid({ of, words })
  const act = async (of: Channel, send: () => Promise<string>): Promise<void> => {
    say(of, 'One moment…')
    const words = await send().catch((error: unknown) => `Not done: ${asProblem(error).message}`)
    await readChannelsAgain()
    say(of, words)
  }
  return (
    <Panel
      title="Channels"
      aside={
        <Button disabled={!isLive} onClick={() => setAdding(true)}>
          Add a channel
        </Button>
      }
    >
      {/* On a phone as high as some channels, so that nothing in sight moves below. */}
      <div className="max-wide:min-h-90">
        <Loaded query={channels} name="The channels" rows={2}>
          {(all) => (
            <>
              {/* Of a channel that is no longer listed. */}
              <p role="status" className="not-empty:border-b not-empty:border-line not-empty:p-4">
                {said && all.every(({ id }) => id !== said.of.id) && `${said.of.name}: ${said.words}`}
              </p>
              {all.length === 0 && (
                <Empty title="No channel yet">
                  Turn notifications on in each phone or browser that should receive them, or add a messenger,
                  your e-mail or a webhook.
                </Empty>
              )}
              <ul aria-label="Channels">
                {all.map((each) => (
                  <ChannelItem
                    key={each.id}
                    channel={each}
                    words={said?.of.id === each.id ? said.words : ''}
                    act={(send) => void act(each, send)}
                    ask={(what) => setAsked({ of: each, what })}
                  />
                ))}
              </ul>
            </>
          )}
        </Loaded>
      </div>
      {isAdding && (
        <AddChannel
          close={() => setAdding(false)}
          added={(of, text) => {
            say(of, 'Added. Test it.')
            if (text !== null) setSecret({ of, text })
          }}
        />
      )}
      {asked && (
        <ChannelSheet
          channel={asked.of}
          question={QUESTIONS[asked.what]}
          close={() => setAsked(undefined)}
          done={({ words = '', secret: text }) => {
            say(asked.of, words)
            if (text !== undefined) setSecret({ of: asked.of, text })
          }}
        />
      )}
      {secret && (
        <Sheet isOpen close={() => {}} title={`The secret of ${secret.of.name}`}>
          <ShownOnce name="Secret" text={secret.text}>
            Copy it now, to where your program keeps its secrets.
          </ShownOnce>
          <Button size="big" kind="primary" onClick={() => setSecret(undefined)}>
            I have stored it
          </Button>
        </Sheet>
      )}
    </Panel>
  )
}

interface ItemProps {
  channel: Channel
  /** Outcome of the last action. */
  words: string
  act: (send: () => Promise<string>) => void
  ask: (what: keyof typeof QUESTIONS) => void
}

function ChannelItem({ channel, words, act, ask }: ItemProps) {
  const here = useThisDevice()
  const isLive = useIsLive()
  const now = useNow()
  const { id, kind, name, service, pausedAt } = channel
  const { name: kindName, icon: Icon } = KINDS[kind]
  const { text, tone } = stateOf(channel, now)
  const path = { channelId: id }
  const test = async (): Promise<string> => {
    const { taken, reason } = await dataOf('POST /api/v1/channels/{channelId}/test', { path })
    return taken ? 'A test message was sent. It takes a few seconds.' : `Not sent: ${reason ?? 'no answer'}.`
  }
  const resume = async (): Promise<string> => {
    await dataOf('POST /api/v1/channels/{channelId}/resume', { path })
    return 'Resumed.'
  }
  const ofWebhook = [
    { name: 'New secret…', choose: () => ask('secret') },
    { name: 'Send again since…', choose: () => ask('again') },
  ]
  return (
    <Item
      icon={<Icon />}
      title={
        <>
          {name} {id === here.data?.id && <Chip kind="good">this device</Chip>}
        </>
      }
      note={
        <>
          <span className={`block ${TONES[tone]}`}>{text}</span>
          {kindName} · {kind === 'email' ? '' : `${service.replace(/^https:\/\//, '')} · `}
          {sentWords(channel)}
        </>
      }
      end={
        <>
          <span className="flex gap-2 max-desk:ml-7">
            {pausedAt !== null && (
              <Button disabled={!isLive} onClick={() => act(resume)} aria-label={`Resume ${name}`}>
                Resume
              </Button>
            )}
            <Button disabled={!isLive} onClick={() => act(test)} aria-label={`Test ${name}`}>
              Test
            </Button>
            <Menu
              of={name}
              items={[
                { name: 'What it is sent…', choose: () => ask('choose') },
                ...(kind === 'webhook' ? ofWebhook : []),
                { name: 'Remove…', choose: () => ask('remove'), isDanger: true },
              ]}
            />
          </span>
          <p role="status" className="basis-full pl-7 text-sm wrap-anywhere empty:absolute">
            {words}
          </p>
        </>
      }
    />
  )
}
