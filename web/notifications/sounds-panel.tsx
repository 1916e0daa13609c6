import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Panel } from '../parts/panel.tsx'
import { chosenSounds, keepSounds, play } from './player.ts'
import { SOUND_KINDS, type SoundKind } from './sounds.ts'

const NAMES: Record<SoundKind, string> = {
  waiting: 'A signal needs approval',
  refused: 'A signal was refused',
  filled: 'An order was filled',
  closed: 'An exit was filled',
  alert: 'An alert',
}

export function SoundsPanel() {
  const [chosen, setChosen] = useState(chosenSounds)
  const choose = (kind: SoundKind): void => {
    const next = SOUND_KINDS.filter((each) => chosen.includes(each) !== (each === kind))
    keepSounds(next)
    setChosen(next)
  }
  return (
    <Panel title="Sounds in this browser">
      <ul>
        {SOUND_KINDS.map((kind) => (
          <li key={kind} className="flex items-center gap-3 border-line px-4 py-1 not-last:border-b">
            <Checkbox
              checked={chosen.includes(kind)}
              onChange={() => choose(kind)}
              className="min-h-11 grow items-center gap-3 font-medium desk:min-h-9"
            >
              {NAMES[kind]}
            </Checkbox>
            <Button onClick={() => void play(kind)} aria-label={`Try it: ${NAMES[kind]}`}>
              Try it
            </Button>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 py-3 text-xs text-muted">
        Played once while the app is open, in one tab. Browsers allow sound only after a click: after a
        reload, click anywhere.
      </p>
    </Panel>
  )
}
