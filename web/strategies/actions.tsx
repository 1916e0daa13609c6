import { useState } from 'react'
import type { Strategy } from '#client/types.ts'
import { Menu } from '../parts/menu.tsx'
import { Delete, Edit, PauseOrResume } from './sheets.tsx'

/** Copies the id and says so; a browser without a clipboard shows it instead. */
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
  /** Told what was done. */
  done: (message: string) => void
}

/** What can be done with a strategy, and the questions before it. */
export function StrategyActions({ strategy, done }: Props) {
  const [asked, setAsked] = useState<'edit' | 'pause' | 'delete' | null>(null)
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
          {
            name: 'Copy id',
            choose: () => void copyId(strategy, done),
          },
          { name: 'Delete…', choose: () => setAsked('delete'), isDanger: true },
        ]}
      />
      {asked === 'edit' && <Edit {...sheet} />}
      {asked === 'pause' && <PauseOrResume {...sheet} />}
      {asked === 'delete' && <Delete {...sheet} />}
    </>
  )
}
