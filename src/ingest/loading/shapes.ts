/** The steps of a load for the shapes of its staged rows: join, store. */
import { readPolygons } from "../../data/places/read-rings.ts"
import { wgs84 } from "../../data/places/reference-system.ts"
import { fileAt, systemsOf } from "./figures.ts"
import { countLeftOut, rowShape, shapeColumns } from "./staged-shape.ts"
import { repeatedKeys, type Staging } from "./staging.ts"

/**
 * Rows of one key and one file that are equal but for their shapes, and for the field that `joinRows` joins, all
 * get the parts of all shapes. It warns of those that are too large together.
 */
export async function joinShapes(staging: Staging, others: readonly string[]): Promise<void> {
  const { sql, staged, accepted, key, files } = staging
  const groups = await sql.unsafe<{ key: string; file: number; shapes: string[] }[]>(
    `select ${key} as key, min(file) as file, array_to_json(array_agg(distinct coordinates) filter (where geometry is not null)) as shapes
     from ${accepted} a where ${key} in (${repeatedKeys(staging)}) group by ${key}
     having count(distinct coalesce(geometry, '')) > 1 and count(geometry) > 0
       and count(distinct (${others})) = 1 and count(distinct file) = 1`,
  )
  const joined = groups.map(({ key: value, file, shapes }) => {
    const polygons = shapes.flatMap((text) => JSON.parse(text))
    const shape = rowShape(readPolygons(polygons, wgs84.toDegrees))
    countLeftOut(fileAt(files, file), shape)
    return { [key]: value, keeps_shape: !shape.staged, ...shape.staged }
  })
  await sql.unsafe(
    `update ${staged} s set ${["keeps_shape", ...shapeColumns].map((name) => `${name} = j.${name}`)}
     from jsonb_populate_recordset(null::${staged}, $1::text::jsonb) j where s.${key} = j.${key}`,
    [JSON.stringify(joined)],
  )
}

/**
 * Stores each new shape once. Polygons are in microdegrees. The statement splits the text of `coordinatesOf`,
 * which has no spaces. Its products are whole numbers but for a rounding that PostgreSQL's comparisons ignore.
 */
export async function storeShapes({ sql, accepted, resource }: Staging): Promise<void> {
  if (!resource.hasShapes) return
  await sql.unsafe(
    `insert into shape_parts (shape, part, coordinates, outline, holes)
     select geometry, ordinal, '[[[' || part || ']]]', rings[1], rings[2:]
     from ${accepted} s, string_to_table(btrim(coordinates, '[]'), ']]],[[[') with ordinality as parts (part, ordinal),
       lateral (
         select array_agg((replace(ring, '],[', ',')::path * point(1000000, 0))::polygon) as rings
         from string_to_table(part, ']],[[') as ring) split
     where geometry is not null and not exists (select from shape_parts where shape = s.geometry)
     on conflict do nothing`,
  )
}

/** Records the reference systems of the files, beside older ones while shapes of older files stay. */
export async function recordSystems(staging: Staging): Promise<void> {
  const { sql, source, resource, table, accepted, key, files } = staging
  const systems = systemsOf(files).join("; ")
  if (systems === "") return
  await sql.unsafe(
    `update sources set crs = case
       when crs is not null and exists (
         select from ${table} t where source = $1 and geometry is not null
           and not exists (select from ${accepted} s where s.${key} = t.${key} and s.geometry = t.geometry))
       then (select string_agg(distinct system, '; ' order by system) from unnest(string_to_array(crs || '; ' || $3, '; ')) system)
       else $3 end
     where name = $1 and resource = $2 and crs is distinct from $3`,
    [source, resource.name, systems],
  )
}
