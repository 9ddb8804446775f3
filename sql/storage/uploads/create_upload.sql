create or replace function service_private.create_upload(
  id uuid, owner text, creator jsonb, source text, bucket text, key text, content_type text, metadata text, length bigint, held jsonb
) returns void
  language sql volatile
begin atomic
  insert into service.storage_uploads (id, owner, creator, source, bucket, key, content_type, metadata, length, held)
  select create_upload.id, create_upload.owner,
    create_upload.creator || coalesce(
      (select jsonb_build_object('email', u.email) from service.users u where u.uid = create_upload.owner and u.email is not null), '{}'),
    create_upload.source, create_upload.bucket, create_upload.key, create_upload.content_type, create_upload.metadata,
    create_upload.length, create_upload.held;
end;

comment on function service_private.create_upload(uuid, text, jsonb, text, text, text, text, text, bigint, jsonb) is
  'Begins an upload of so many bytes. creator: {uid, roles}, the email of the account is added, null for an anonymous caller; the other '
  'arguments are the columns of service.storage_uploads.';
