import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { SignalsPage } from './list-page.tsx'
import { StoryPage } from './story-page.tsx'

const list = getRouteApi('/gate/shell/signals')
const story = getRouteApi('/gate/shell/signals/$id')

export function SignalsRoute() {
  const filters = list.useSearch()
  const navigate = useNavigate()
  return (
    <SignalsPage
      filters={filters}
      show={(search, manner) => void navigate({ to: '/signals', search, ...manner })}
      openNew={() => void navigate({ to: '/signals/new', search: {} })}
    />
  )
}

export function StoryRoute() {
  const { id } = story.useParams()
  return <StoryPage key={id} id={id} />
}
