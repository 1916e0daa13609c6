import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { useAppInfo } from '../records/person.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { useHalts } from '../records/halts.ts'
import { LEVELS, type Halt } from '../words/halts.ts'
import { StopSheet } from '../shell/stop-sheet.tsx'
import { Service } from '../today/service.tsx'
import { bothTimes } from '../words/times.ts'
import { Administration } from './frame.tsx'

export function ServicePage() {
  const now = useNow()
  return (
    <Administration name="Service">
      <div className="grid items-start gap-4 wide:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <Switch now={now} />
          <Installation />
        </div>
        <Service now={now} />
      </div>
    </Administration>
  )
}

function Switch({ now }: { now: number }) {
  const standing = useHalts().find(({ scope }) => scope === 'global')
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title="Trading of all users">
      <div className="grid gap-4 p-4">
        <p>
          {standing
            ? `${LEVELS[standing.level].stands} since ${bothTimes(standing.setAt, now)}${standing.reason === null ? '' : `: “${standing.reason}”`}. Resume with the notice above.`
            : 'Trading is not stopped for all users. Users and accounts may have their own stops.'}
        </p>
        <dl className="grid gap-3">
          {(Object.keys(LEVELS) as Halt['level'][]).map((level) => (
            <div key={level}>
              <dt className="font-medium">{LEVELS[level].name}</dt>
              <dd className="text-muted">{LEVELS[level].effect}</dd>
            </div>
          ))}
        </dl>
        <Button kind="danger" onClick={() => setOpen(true)} className="justify-self-start">
          {standing ? 'Change the level…' : 'Stop the whole service…'}
        </Button>
      </div>
      {isOpen && <StopSheet scope="global" close={() => setOpen(false)} />}
    </Panel>
  )
}

const REGISTRATION = {
  open: 'open',
  closed: 'closed: by invitation only',
  firstUser: 'waits for the first user',
} as const

function Installation() {
  const app = useAppInfo()
  return (
    <Panel title="Installation">
      <Loaded query={app} name="The installation">
        {({ version, registration, liveTrading, mailbox, temporalUiUrl }) => (
          <Facts>
            <Fact name="Version">{version}</Fact>
            <Fact name="Registration">{REGISTRATION[registration]}</Fact>
            <Fact name="Real money">{liveTrading ? 'allowed' : 'switched off by the operator'}</Fact>
            <Fact name="E-mail">{mailbox ? 'kept in the mailbox of this machine' : 'sent'}</Fact>
            {temporalUiUrl !== null && (
              <Fact name="Temporal">
                <a href={temporalUiUrl} rel="noreferrer" target="_blank" className="underline">
                  {temporalUiUrl}
                </a>
              </Fact>
            )}
          </Facts>
        )}
      </Loaded>
    </Panel>
  )
}
