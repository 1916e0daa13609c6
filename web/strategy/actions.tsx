import { useState } from 'react'
import type { Strategy } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { FlatByCloseSheet } from '../parts/flat-by-close-sheet.tsx'
import { Menu } from '../parts/menu.tsx'
import { flatWords } from '../words/flat-by-close.ts'
import { Delete, Edit, PauseOrResume } from './sheets.tsx'

/** Copies the id and says so; without a clipboard it shows the id instead. */
async function copyId({ id, name }: Strategy, done: (message: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(id)
    done(`The id of ${name} is copied`)
  } catch {
    done(`The id of ${name} is ${id}`)
  }
}

interface Props {
  strategy: Strategy
  /** Receives a sentence about the action. */
  done: (message: string) => void
}

export function StrategyActions({ strategy, done }: Props) {
  const [asked, setAsked] = useState<'edit' | 'flat' | 'pause' | 'delete' | null>(null)
  const sheet = {
    strategy,
    close: () => setAsked(null),
    done: (message: string) => {
      setAsked(null)
      done(message)
    },
  }
  return (
    <>
      <Menu
        of={strategy.name}
        items={[
          { name: strategy.status === 'paused' ? 'Resume…' : 'Pause…', choose: () => setAsked('pause') },
          { name: 'Change…', choose: () => setAsked('edit') },
          { name: 'Flat by the close…', choose: () => setAsked('flat') },
          {
            name: 'Copy id',
            choose: () => void copyId(strategy, done),
          },
          { name: 'Delete…', choose: () => setAsked('delete'), isDanger: true },
        ]}
      />
      {asked === 'edit' && <Edit {...sheet} />}
      {asked === 'flat' && (
        <FlatByCloseSheet
          name={strategy.name}
          whose="strategy"
          terms={strategy.flatByClose}
          save={async (flatByClose) => {
            await ask('PATCH /api/v1/strategies/{strategyId}', {
              path: { strategyId: strategy.id },
              body: { flatByClose: flatByClose && { minutes: flatByClose.minutes } },
            })
            await readChanged('strategies')
            done(`Flat by the close of ${strategy.name}: ${flatWords(flatByClose)}`)
          }}
          close={sheet.close}
        />
      )}
      {asked === 'pause' && <PauseOrResume {...sheet} />}
      {asked === 'delete' && <Delete {...sheet} />}
    </>
  )
}
