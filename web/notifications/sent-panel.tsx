import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Chip, Item, Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { useChannels, useDeliveries } from './data.ts'
import { KINDS } from './kinds.ts'
import { aboutWords, OUTCOMES } from './words.ts'

const SENT_ROWS = 20

export function SentPanel() {
  const [limit, setLimit] = useState(SENT_ROWS)
  const sent = useDeliveries(limit)
  const { data: channels } = useChannels()
  const now = useNow()
  return (
    <Panel title="What was sent">
      <Loaded query={sent} name="What was sent" rows={2}>
        {({ deliveries, nextCursor }) =>
          deliveries.length === 0 ? (
            <Empty title="Nothing yet">Messages of the last 14 days are listed here, tests excepted.</Empty>
          ) : (
            <>
              <ul aria-label="What was sent">
                {deliveries.map((each) => {
                  const channel = channels?.find(({ id }) => id === each.channelId)
                  const Icon = KINDS[channel?.kind ?? 'webhook'].icon
                  const { text, tone } = OUTCOMES[each.outcome]
                  return (
                    <Item
                      key={each.id}
                      icon={<Icon />}
                      title={
                        <>
                          {aboutWords(each)} <Chip kind={tone}>{text}</Chip>
                        </>
                      }
                      note={
                        <>
                          {channel?.name} · <ListTime at={each.at} now={now} />
                          {each.attempt > 1 && ` · attempt ${each.attempt}`}
                          {each.reason !== null && <span className="block">{each.reason}</span>}
                        </>
                      }
                    />
                  )
                })}
              </ul>
              {nextCursor !== null && (
                <div className="border-t border-line p-3">
                  <Button onClick={() => setLimit(limit + SENT_ROWS)}>Show more</Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
