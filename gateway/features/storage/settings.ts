import { setting } from '../../config/setting.ts';
import { boolean, bucketName, flag, linkBase, mimeTypes, oneLine, oneOf, password, text, wholeNumber } from '../../config/value.ts';

export const storageSettings = {
  storageType: setting('STORAGE_TYPE', oneOf('local', 's3', 'gcs'), undefined,
    'Where files lie; unset: s3 with S3_BUCKET, gcs with GCS_BUCKET, else local.'),
  storagePath: setting('STORAGE_PATH', text, './uploads', 'Folder of local storage; it is made with the first file.'),
  forceLocalStorage: setting('FORCE_LOCAL_STORAGE', flag, false, 'Serve local storage in production too.'),
  storageMaxFileSize: setting('STORAGE_MAX_FILE_SIZE', wholeNumber(1), undefined,
    'Largest file in bytes; unset: 50 MiB by a form, 5 GiB by a resumable upload.'),
  storageAllowedMimeTypes: setting('STORAGE_ALLOWED_MIME_TYPES', mimeTypes, undefined, 'Types of files that are taken; unset: all.'),
  storagePublicRead: setting('STORAGE_PUBLIC_READ', boolean, false, 'Whether files may be read without a sign-in.'),
  storageAllowAnyAuthenticated: setting('STORAGE_ALLOW_ANY_AUTHENTICATED', boolean, false,
    'Whether every signed-in caller may do everything with files where there are no rules, in production too.'),
  storageRenditionCache: setting('STORAGE_RENDITION_CACHE', boolean, false, 'Keep renditions of images in the bucket of the image.'),
  storageBucket: setting('STORAGE_BUCKET', bucketName, undefined, 'Bucket of files, where neither S3_BUCKET nor GCS_BUCKET names it.'),
  s3Bucket: setting('S3_BUCKET', bucketName, undefined, 'Bucket of files in S3.'),
  s3Region: setting('S3_REGION', oneLine, 'auto', 'Its region; auto is us-east-1, which stores without regions take.'),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', oneLine, undefined, 'Access key id for S3.'),
  s3SecretAccessKey: setting('S3_SECRET_ACCESS_KEY', password, undefined, 'The secret of S3_ACCESS_KEY_ID.'),
  s3Endpoint: setting('S3_ENDPOINT', linkBase, undefined, 'Address of a store that speaks S3; unset: that of Amazon.'),
  s3ForcePathStyle: setting('S3_FORCE_PATH_STYLE', boolean, undefined,
    'The bucket in the path instead of the host name; unset: with S3_ENDPOINT.'),
  gcsBucket: setting('GCS_BUCKET', bucketName, undefined, 'Bucket of files in Google Cloud Storage.'),
  gcsProjectId: setting('GCS_PROJECT_ID', oneLine, undefined, 'Project of the bucket; that of the key file when unset.'),
  gcsKeyFilename: setting('GCS_KEY_FILENAME', text, undefined, 'File with the key of a service account (JSON).'),
  googleApplicationCredentials: setting('GOOGLE_APPLICATION_CREDENTIALS', text, undefined, 'The same, where GCS_KEY_FILENAME is unset.'),
};
